import type { ReactNode } from 'react'
import { entries, operatorGuides, reference, start } from './guides.ts'

type Page = (props: object) => ReactNode

/** Returns the component of a page of the documentation, for Markdown; undefined if there is none at this path. */
export async function readPage(href: string): Promise<Page | undefined> {
  return (await load(href))?.default
}

function load(href: string): Promise<{ default: Page }> | undefined {
  if (href === start.href) return import('./(guides)/page.mdx')
  if (href === reference.href) return import('./reference/page.tsx')
  if (href === operatorGuides[0]!.href) return import('./operate/page.mdx')
  const name = href.split('/').at(-1)!
  // The bundler finds all pages by these patterns.
  if (operatorGuides.some((guide) => guide.href === href)) return import(`./operate/${name}/page.mdx`)
  if (entries.some((guide) => guide.href === href)) return import(`./(guides)/${name}/page.mdx`)
  return undefined
}
