const path = '/docs/operate/changelog.atom'

/** Link to the changelog's Atom feed, for the page's head. */
export const changelogFeedLink = { types: { 'application/atom+xml': path } }

/** A version in the changelog. */
export interface ChangelogVersion {
  version: string
  /** Day of the last change, such as `2026-03-01`. */
  day: string
  /** Description of the changes in Markdown. */
  text: string
}

/** Returns the versions in the changelog's Markdown. Headings have the form `1.2 · 2026-03-01`. */
export const versionsIn = (markdown: string): ChangelogVersion[] =>
  markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n')
      const [version = '', day = ''] = heading.split(' · ')
      return { version, day, text: lines.join('\n').trim() }
    })

/** Returns the Atom feed of these versions (RFC 4287). */
export function atomOf(publicUrl: string, versions: readonly ChangelogVersion[]): string {
  const page = `${publicUrl}/docs/operate/changelog`
  const entries = versions.map(
    ({ version, day, text }) => `  <entry>
    <title>Partner Deals ${escaped(version)}</title>
    <id>${escaped(`${page}#${version}`)}</id>
    <updated>${day}T00:00:00Z</updated>
    <link rel="alternate" type="text/html" href="${escaped(page)}"/>
    <content type="text">${escaped(text)}</content>
  </entry>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>Partner Deals: changelog</title>
  <id>${escaped(page)}</id>
  <updated>${versions[0]?.day}T00:00:00Z</updated>
  <author><name>Partner Deals</name></author>
  <link rel="self" type="application/atom+xml" href="${escaped(`${publicUrl}${path}`)}"/>
  <link rel="alternate" type="text/html" href="${escaped(page)}"/>
${entries.join('\n')}
</feed>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => entities[sign]!)
