import { Parser } from 'htmlparser2'

/** Elements that start a new line. */
const blocks = new Set(
  `address article blockquote br dd div dl dt footer form h1 h2 h3 h4 h5 h6 header hr li ol p pre section table
  tr ul`.split(/\s+/),
)
const cells = new Set(['td', 'th'])
const bullet = '- '
const hidden = new Set(['head', 'script', 'style', 'template', 'title'])

/**
 * Converts HTML to text, with a line for each paragraph and list item, and the URL of a link after its text.
 * Takes linear time.
 */
export function textOfHtml(html: string): string {
  const parts: string[] = []
  let link: { href: string; at: number } | null = null
  let hiddenDepth = 0
  const parser = new Parser({
    onopentag(name, { href }) {
      if (hidden.has(name)) hiddenDepth++
      if (blocks.has(name) && parts.at(-1) !== bullet) parts.push('\n')
      if (name === 'li') parts.push(bullet)
      if (cells.has(name)) parts.push(' ')
      if (name === 'a') link = { href: href ?? '', at: parts.length }
    },
    ontext(text) {
      if (hiddenDepth === 0) parts.push(text.replaceAll(/\s+/g, ' '))
    },
    onclosetag(name) {
      if (hidden.has(name)) hiddenDepth--
      if (blocks.has(name) && name !== 'br') parts.push('\n')
      if (name !== 'a' || link === null) return
      const { href, at } = link
      link = null
      const text = parts.slice(at).join('').trim()
      const address = href.replace(/^mailto:|^tel:/i, '')
      if (/^(?:https?|mailto|tel):/i.test(href) && address !== text)
        parts.push(text === '' ? address : ` (${address})`)
    },
  })
  parser.end(html)
  const lines = parts.join('').split('\n')
  return lines
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '' && line !== '-')
    .join('\n')
}
