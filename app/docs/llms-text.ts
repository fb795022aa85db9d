import { sections } from './guides.ts'

/** Returns an index of the documentation for language models, with absolute links to Markdown pages. */
export function llmsText(publicUrl: string): string {
  const listed = sections.map(({ title, entries }) => [
    `## ${title}`,
    entries.map(({ href, title: name, about }) => `- [${name}](${publicUrl}${href}.md): ${about}`).join('\n'),
  ])
  return `${[
    '# Partner Deals',
    '> A partner portal for a solar installer’s dealers. Their systems read deals through a REST interface and receive webhooks; their people use the portal.',
    'Every page is also available as Markdown, at its address with `.md` or with `Accept: text/markdown`. Requests to the REST interface need a bearer token, which an admin of the partner creates in the portal. Ids are 64-bit integers: read them without rounding.',
    ...listed.flat(),
    '## Machine-readable',
    [
      `- [OpenAPI document](${publicUrl}/api/openapi.json): every operation and webhook, as OpenAPI 3.1`,
      `- [Changelog feed](${publicUrl}/docs/operate/changelog.atom): what each version adds and changes, as Atom`,
    ].join('\n'),
  ].join('\n\n')}\n`
}
