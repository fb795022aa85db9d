/** A page of the documentation. */
export interface Guide {
  href: string
  title: string
  about: string
}

export const start: Guide = { href: '/docs', title: 'Start', about: 'A first request, and all guides.' }

export const guides: readonly Guide[] = [
  {
    href: '/docs/first-call',
    title: 'First call',
    about: 'What to ask your admin for, then your first deal.',
  },
  {
    href: '/docs/clients',
    title: 'Clients',
    about: 'One file for Node or Python that calls the API for you.',
  },
  {
    href: '/docs/without-code',
    title: 'Without code',
    about: 'Connect Zapier, Make, n8n, Node-RED or Power Automate.',
  },
  {
    href: '/docs/copy',
    title: 'Keep a copy',
    about: 'Your deals in your own database or folder, without a line of code.',
  },
  {
    href: '/docs/pagination',
    title: 'Pagination',
    about: 'Read all deals by following Link, and again only if they changed.',
  },
  {
    href: '/docs/sync',
    title: 'Staying in sync',
    about: 'Follow the events, and prove that your copy is correct.',
  },
  {
    href: '/docs/webhooks',
    title: 'Webhooks',
    about: 'Receive events as they happen, and verify their signature.',
  },
  {
    href: '/docs/sheets',
    title: 'Sheets',
    about: 'Read a view in Google Sheets, Excel or LibreOffice, without a program.',
  },
  {
    href: '/docs/laptop',
    title: 'Develop on a laptop',
    about: 'Receive events on your own machine, with or without a tunnel.',
  },
  {
    href: '/docs/money',
    title: 'Money',
    about: 'Read what is installed, submitted and paid, and what is expected.',
  },
  { href: '/docs/flow', title: 'Flow', about: 'Read how long each step takes, and which deals are slow.' },
  { href: '/docs/errors', title: 'Errors', about: 'What an error looks like, and when to retry.' },
  { href: '/docs/limits', title: 'Limits', about: 'Sizes, rates and times, and what may change.' },
]

export const reference: Guide = {
  href: '/docs/reference',
  title: 'API reference',
  about: 'Every operation with its fields, ready to try with your token.',
}

/** Pages for partners' developers, in reading order. */
export const entries: readonly Guide[] = [start, ...guides, reference]

/** Pages for operators, in reading order. */
export const operatorGuides: readonly Guide[] = [
  { href: '/docs/operate', title: 'Overview', about: 'What runs, and what it needs.' },
  {
    href: '/docs/operate/install',
    title: 'Install',
    about: 'From the first start to a database of your own and several processes.',
  },
  {
    href: '/docs/operate/containers',
    title: 'Containers',
    about: 'One image for all processes, a compose file, and what Kubernetes needs to know.',
  },
  {
    href: '/docs/operate/high-availability',
    title: 'High availability',
    about: 'Survive the loss of a machine: standbys, failover and what was tried.',
  },
  { href: '/docs/operate/configure', title: 'Configure', about: 'Every environment variable.' },
  {
    href: '/docs/operate/partners',
    title: 'Partners',
    about: 'Create a partner with deals, a token and people; roles and time zones.',
  },
  {
    href: '/docs/operate/accounts',
    title: 'Accounts and sign-in',
    about: 'Invitations, forgotten passwords, admins and OpenID Connect.',
  },
  {
    href: '/docs/operate/imports',
    title: 'Imports',
    about: 'Which files are read and how, what the preview shows, and how to undo one.',
  },
  {
    href: '/docs/operate/portal',
    title: 'The portal',
    about: 'What people find there, what operators set up, and links to lists of deals.',
  },
  {
    href: '/docs/operate/notifications',
    title: 'Notifications',
    about: 'Mail, push messages and team channels.',
  },
  {
    href: '/docs/operate/sources',
    title: 'Connect a CRM',
    about: 'Have deals follow HubSpot: mapping, partners, comparison and limits.',
  },
  {
    href: '/docs/operate/files',
    title: 'Files and object storage',
    about: 'Keep files in an S3-compatible store, move them, scan and preview them.',
  },
  {
    href: '/docs/operate/backup',
    title: 'Back up and upgrade',
    about: 'One file with everything, how to restore it, and how to upgrade.',
  },
  {
    href: '/docs/operate/metrics',
    title: 'Health, metrics and traces',
    about: 'What to probe, what to watch, what to collect.',
  },
  {
    href: '/docs/operate/security',
    title: 'Security',
    about: 'What is protected, how, and what is up to you.',
  },
  { href: '/docs/operate/commands', title: 'Commands', about: 'Every operator command with its options.' },
  { href: '/docs/operate/changelog', title: 'Changelog', about: 'What each version adds and changes.' },
  { href: '/docs/operate/glossary', title: 'Glossary', about: 'One word for each thing.' },
]

/** A section of the documentation, named after its audience. */
export interface GuideSection {
  title: string
  entries: readonly Guide[]
}

const developers: GuideSection = { title: 'Developers', entries }
const operators: GuideSection = { title: 'Operators', entries: operatorGuides }

export const sections: readonly GuideSection[] = [developers, operators]

/** Returns the section that a page belongs to. */
export const sectionOf = (href: string): GuideSection =>
  operators.entries.some((entry) => entry.href === href) ? operators : developers

/** Returns the previous and next page, or undefined at either end. */
export function neighbours(href: string): { previous: Guide | undefined; next: Guide | undefined } {
  const pages = sectionOf(href).entries
  const at = pages.findIndex((entry) => entry.href === href)
  return { previous: pages[at - 1], next: pages[at + 1] }
}

/**
 * Resolves a guide's link. For example, `../sync/page.mdx#compare-your-copy` becomes the URL of that page.
 * Returns links to other targets unchanged.
 * @throws Error if there is no such guide
 */
export function hrefOf(target: string): string {
  const [path, anchor] = target.split('#', 2) as [string, string | undefined]
  if (!/\/page\.(?:mdx|tsx)$/.test(path)) return target
  const folder = path.split('/').at(-2)
  const entry = [...entries, ...operatorGuides].find(({ href }) => href.endsWith(`/${folder}`))
  if (entry === undefined) throw new Error(`no guide at ${target}`)
  return anchor === undefined ? entry.href : `${entry.href}#${anchor}`
}

/** Returns the anchor of a heading: `What may change` becomes `what-may-change`. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, '')
    .replaceAll(' ', '-')
