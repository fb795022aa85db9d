import { Fragment, type ReactElement, type ReactNode, isValidElement } from 'react'
import { Link } from '#app/ui/link.tsx'
import { type Code, GuideCode } from '../guide-code.tsx'

/** An HTML element or code block, after its components were rendered. */
interface Rendered {
  tag: string
  props: { children?: ReactNode; href?: string; codes?: readonly Code[] }
}

type Piece = string | Rendered

/** Renders components until only text, HTML elements and code are left. Omits client components. */
async function render(node: ReactNode): Promise<Piece[]> {
  if (typeof node === 'string' || typeof node === 'number') return [String(node)]
  if (Array.isArray(node)) return (await Promise.all(node.map(render))).flat()
  if (!isValidElement(node)) return []
  const { type, props } = node as ReactElement<Rendered['props']>
  if (typeof type === 'string') return [{ tag: type, props }]
  if (type === (GuideCode as unknown)) return [{ tag: 'codes', props }]
  if (type === (Link as unknown)) return [{ tag: 'a', props }]
  if ((type as unknown) === Fragment || isOfBrowser(type)) return render(props.children)
  return render(await (type as (props: object) => ReactNode | Promise<ReactNode>)(props))
}

const isOfBrowser = (type: unknown) =>
  (type as { $$typeof?: symbol }).$$typeof === Symbol.for('react.client.reference')

/** Returns the URL of a link. */
type Resolve = (href: string) => string

/** Renders a page as Markdown. `resolve` returns the URLs of links. */
export async function markdownOf(page: ReactNode, resolve: Resolve): Promise<string> {
  return `${await blocksOf(await render(page), resolve)}\n`
}

const inlineTags = new Set(['a', 'b', 'br', 'code', 'em', 'i', 'span', 'strong', 'sub', 'sup'])
const isInline = (piece: Piece) => typeof piece === 'string' || inlineTags.has(piece.tag)

/** Joins pieces to blocks with blank lines in between. Adjacent inline pieces form a paragraph. */
async function blocksOf(pieces: Piece[], resolve: Resolve): Promise<string> {
  const blocks: string[] = []
  for (let at = 0; at < pieces.length;) {
    const end = pieces.findIndex((piece, index) => index >= at && !isInline(piece))
    const inline = pieces.slice(at, end === -1 ? undefined : end)
    if (inline.length > 0) blocks.push((await inlineOf(inline, resolve)).trim())
    at += inline.length
    if (at < pieces.length) blocks.push(await blockOf(pieces[at++] as Rendered, resolve))
  }
  return blocks.filter((block) => block !== '').join('\n\n')
}

async function blockOf({ tag, props: { children, codes } }: Rendered, resolve: Resolve): Promise<string> {
  const inner = await render(children)
  const level = /^h([1-6])$/.exec(tag)?.[1]
  if (level !== undefined) return `${'#'.repeat(Number(level))} ${await inlineOf(inner, resolve)}`
  switch (tag) {
    case 'p':
    case 'dt':
      return (await inlineOf(inner, resolve)).trim()
    case 'codes':
      return codes!.map(fenced).join('\n\n')
    case 'ul':
    case 'ol':
      return listOf(inner, resolve, (at) => (tag === 'ol' ? `${at + 1}. ` : '- '))
    case 'table':
      return tableOf(inner, resolve)
    default:
      return blocksOf(inner, resolve)
  }
}

/** Returns a code block with its response, preceded by the file name or command if there is one. */
function fenced({ language, text, caption, answer }: Code): string {
  const fence = (info: string, content: string) => `\`\`\`${info}\n${content}\n\`\`\``
  return [
    ...(caption === undefined ? [] : [`\`${caption}\`:`]),
    fence(infoOf(language), text),
    ...(answer === undefined ? [] : ['Response:', fence('', answer)]),
  ].join('\n\n')
}

/** Returns the Markdown info string of a language, such as `js` for `Node.js`. */
const infoOf = (language: string) =>
  ({ Shell: 'sh', curl: 'sh', 'Node.js': 'js', Body: 'json', 'Power Query M': 'powerquery' })[language] ??
  language.toLowerCase().replaceAll(/[^a-z0-9#+]/g, '')

async function listOf(pieces: Piece[], resolve: Resolve, markOf: (at: number) => string): Promise<string> {
  const items = pieces.filter((piece) => typeof piece !== 'string' && piece.tag === 'li') as Rendered[]
  const lines = await Promise.all(
    items.map(async ({ props }, at) => {
      const mark = markOf(at)
      const text = await blocksOf(await render(props.children), resolve)
      return mark + text.replaceAll(/\n(?!\n)/g, `\n${' '.repeat(mark.length)}`)
    }),
  )
  return lines.join('\n')
}

/** Returns the rows of a table, including the header row. */
async function tableOf(pieces: Piece[], resolve: Resolve): Promise<string> {
  const rows: string[][] = []
  const collect = async (element: Piece): Promise<void> => {
    if (typeof element === 'string') return
    const inner = (await render(element.props.children)).filter((piece) => typeof piece !== 'string')
    if (element.tag !== 'tr')
      return void (await inner.reduce((done, piece) => done.then(() => collect(piece)), Promise.resolve()))
    rows.push(
      await Promise.all(
        inner.map(async ({ props }) =>
          (await inlineOf(await render(props.children), resolve))
            .split('\n')
            .map((line) => line.trim())
            .join(' ')
            .replaceAll('|', '\\|'),
        ),
      ),
    )
  }
  for (const piece of pieces) await collect(piece)
  const [titles = [], ...others] = rows
  return [titles, titles.map(() => '---'), ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

async function inlineOf(pieces: Piece[], resolve: Resolve): Promise<string> {
  return (await Promise.all(pieces.map((piece) => inlinePiece(piece, resolve)))).join('')
}

async function inlinePiece(piece: Piece, resolve: Resolve): Promise<string> {
  // Escape characters that would begin emphasis, code or HTML.
  if (typeof piece === 'string') return piece.replaceAll(/[*`<]/g, '\\$&')
  const { tag, props } = piece
  const inner = await render(props.children)
  if (tag === 'br') return '\n'
  if (tag === 'code') return codeOf(inner.filter((each) => typeof each === 'string').join(''))
  const text = await inlineOf(inner, resolve)
  switch (tag) {
    case 'a':
      return `[${text}](${resolve(props.href ?? '')})`
    case 'strong':
    case 'b':
      return `**${text}**`
    case 'em':
    case 'i':
      return `*${text}*`
    default:
      return text
  }
}

const codeOf = (text: string) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``)
