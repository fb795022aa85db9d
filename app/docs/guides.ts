/** A page of the documentation. */
export interface Guide {
  href: string
  title: string
  about: string
}

const guidesIn = (
  folder: string,
  pages: readonly (readonly [name: string, title: string, about: string])[],
) => pages.map(([name, title, about]) => ({ href: folder + name, title, about }))

export const start: Guide = { href: '/docs', title: 'Start', about: 'A first request, and all guides.' }

export const guides: readonly Guide[] = guidesIn('/docs/', [
  ['first-call', 'First call', 'What to ask your admin for, then your first deal.'],
  ['clients', 'Clients', 'One file for Node or Python that calls the API for you.'],
  ['without-code', 'Without code', 'Connect Zapier, Make, n8n, Node-RED or Power Automate.'],
  ['copy', 'Keep a copy', 'Your deals in your own database or folder, without a line of code.'],
  ['pagination', 'Pagination', 'Read all deals by following Link, and again only if they changed.'],
  ['sync', 'Staying in sync', 'Follow the events, and prove that your copy is correct.'],
  ['webhooks', 'Webhooks', 'Receive events as they happen, and verify their signature.'],
  ['sheets', 'Sheets', 'Read a view in Google Sheets, Excel or LibreOffice, without a program.'],
  ['laptop', 'Develop on a laptop', 'Receive events on your own machine, with or without a tunnel.'],
  ['money', 'Money', 'Read what is installed, submitted and paid, and what is expected.'],
  ['flow', 'Flow', 'Read how long each step takes, and which deals are slow.'],
  ['errors', 'Errors', 'What an error looks like, and when to retry.'],
  ['limits', 'Limits', 'Sizes, rates and times, and what may change.'],
])

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
  ...guidesIn('/docs/operate/', [
    ['install', 'Install', 'From the first start to a database of your own and several processes.'],
    [
      'containers',
      'Containers',
      'One image for all processes, a compose file, and what Kubernetes needs to know.',
    ],
    [
      'high-availability',
      'High availability',
      'Survive the loss of a machine: standbys, failover and what was tried.',
    ],
    ['configure', 'Configure', 'Every environment variable.'],
    ['partners', 'Partners', 'Create a partner with deals, a token and people; roles and time zones.'],
    ['accounts', 'Accounts and sign-in', 'Invitations, forgotten passwords, admins and OpenID Connect.'],
    ['imports', 'Imports', 'Which files are read and how, what the preview shows, and how to undo one.'],
    ['portal', 'The portal', 'What people find there, what operators set up, and links to lists of deals.'],
    ['notifications', 'Notifications', 'Mail, push messages and team channels.'],
    ['sources', 'Connect a CRM', 'Have deals follow HubSpot: mapping, partners, comparison and limits.'],
    [
      'files',
      'Files and object storage',
      'Keep files in an S3-compatible store, move them, scan and preview them.',
    ],
    ['backup', 'Back up and upgrade', 'One file with everything, how to restore it, and how to upgrade.'],
    ['metrics', 'Health, metrics and traces', 'What to probe, what to watch, what to collect.'],
    ['security', 'Security', 'What is protected, how, and what is up to you.'],
    ['commands', 'Commands', 'Every operator command with its options.'],
    ['changelog', 'Changelog', 'What each version adds and changes.'],
    ['glossary', 'Glossary', 'One word for each thing.'],
  ]),
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
