import { type ReactNode, createElement } from 'react'
import { sharedServices } from '#server/runtime/services.ts'
import { entries, operatorGuides, reference, start } from './guides.ts'
import { markdownOf } from './markdown.ts'

/** Returns a page of the documentation as Markdown with absolute links; undefined if there is none at this path. */
export async function readMarkdown(href: string): Promise<string | undefined> {
  const page = (await load(href))?.default
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

/** Loads the component of a page; undefined if there is none at this path. */
function load(href: string): Promise<{ default: (props: object) => ReactNode }> | undefined {
  if (href === start.href) return import('./(guides)/page.mdx')
  if (href === reference.href) return import('./reference/page.tsx')
  if (href === operatorGuides[0]!.href) return import('./operate/page.mdx')
  const name = href.split('/').at(-1)!
  // The bundler finds all pages by these patterns.
  if (operatorGuides.some((guide) => guide.href === href)) return import(`./operate/${name}/page.mdx`)
  if (entries.some((guide) => guide.href === href)) return import(`./(guides)/${name}/page.mdx`)
  return undefined
}
