/** A page of the developers' part that is read, in the order of reading. */
export interface Entry {
  href: string
  title: string
  /** What one knows after it. */
  about: string
}

export const start: Entry = { href: '/docs', title: 'Start', about: 'What there is, and where.' }

export const guides: readonly Entry[] = [
  {
    href: '/docs/first-call',
    title: 'First call',
    about: 'Get a token, and with it the first deal and its agreement.',
  },
  {
    href: '/docs/walking',
    title: 'Walking the pages',
    about: 'Read all deals by following Link, and again only if they changed.',
  },
  {
    href: '/docs/sync',
    title: 'Staying in sync',
    about: 'Follow the events, and prove that your copy is right.',
  },
  {
    href: '/docs/webhooks',
    title: 'Webhooks',
    about: 'Have events sent to you, and know that they are from us.',
  },
  { href: '/docs/errors', title: 'Errors', about: 'What a refusal looks like, and when to try again.' },
  { href: '/docs/limits', title: 'Limits', about: 'How much, how often, how long, and what may change.' },
]

export const reference: Entry = {
  href: '/docs/reference',
  title: 'API reference',
  about: 'Every operation with its fields, to be tried with a token of yours.',
}

/** All of them, as the navigation lists them. */
export const entries: readonly Entry[] = [start, ...guides, reference]

/** What stands before and after a page; undefined at the ends. */
export function neighbours(href: string): { previous: Entry | undefined; next: Entry | undefined } {
  const at = entries.findIndex((entry) => entry.href === href)
  return { previous: entries[at - 1], next: entries[at + 1] }
}
