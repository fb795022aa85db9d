import { type ReactNode, createElement } from 'react'
import { sharedServices } from '#server/runtime/services.ts'
import { entries, operatorGuides, reference, start } from '../guides.ts'
import { markdownOf } from './markdown.ts'

/** Returns a documentation page as Markdown with absolute links, or undefined if the path has no page. */
export async function readMarkdown(href: string): Promise<string | undefined> {
  const page = (await load(href))?.default
  if (page === undefined) return undefined
  const { publicUrl } = sharedServices().config
  const text = await markdownOf(createElement(page), (target) => absolute(publicUrl, href, target))
  return text.replaceAll('https://deals.example.com', publicUrl)
}

/**
 * Returns the absolute URL of a link. Links to documentation pages, whose paths have no extension, lead to
 * the Markdown version.
 */
function absolute(publicUrl: string, href: string, target: string): string {
  if (target.startsWith('#')) return `${publicUrl}${href}.md${target}`
  if (!target.startsWith('/')) return target
  return `${publicUrl}${target.replace(/^(\/docs[^#.]*)(#.*)?$/, '$1.md$2')}`
}

/** Loads the component of a page, or returns undefined if the path has no page. */
function load(href: string): Promise<{ default: (props: object) => ReactNode }> | undefined {
  if (href === start.href) return import('../(guides)/page.mdx')
  if (href === reference.href) return import('../reference/page.tsx')
  if (href === operatorGuides[0]!.href) return import('../operate/page.mdx')
  const name = href.split('/').at(-1)!
  // These import patterns tell the bundler which pages exist.
  if (operatorGuides.some((guide) => guide.href === href)) return import(`../operate/${name}/page.mdx`)
  if (entries.some((guide) => guide.href === href)) return import(`../(guides)/${name}/page.mdx`)
  return undefined
}
