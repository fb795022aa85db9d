import { createElement } from 'react'
import { sharedServices } from '#server/runtime/services.ts'
import { markdownOf } from './markdown.ts'
import { readPage } from './pages.ts'

/** Returns a page of the documentation as Markdown with absolute links; undefined if there is none at this path. */
export async function readMarkdown(href: string): Promise<string | undefined> {
  const page = await readPage(href)
  if (page === undefined) return undefined
  const { publicUrl } = sharedServices().config
  const text = await markdownOf(createElement(page), (target) => absolute(publicUrl, href, target))
  return text.replaceAll('https://deals.example.com', publicUrl)
}

/** Returns the absolute address of a link; pages of the documentation, which have no file ending, as Markdown. */
function absolute(publicUrl: string, href: string, target: string): string {
  if (target.startsWith('#')) return `${publicUrl}${href}.md${target}`
  if (!target.startsWith('/')) return target
  return `${publicUrl}${target.replace(/^(\/docs[^#.]*)(#.*)?$/, '$1.md$2')}`
}
