import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { anchorOf, entries, hrefOf, operatorGuides } from './guides.ts'

const pages = globSync('**/page.mdx', { cwd: import.meta.dirname })

/** Documents that are not guides. */
const documents = new Set(['/api/openapi.json', '/docs/operate/changelog.atom'])

test('every link in a guide leads to an existing guide and heading, a document, or another site', () => {
  const links = pages.flatMap((page) =>
    [...readFileSync(join(import.meta.dirname, page), 'utf8').matchAll(/\]\(([^\s]+?)\)(?=[\s.,;:]|$)/g)].map(
      ([, target]) => ({ page, target: target! }),
    ),
  )
  expect(links.length).toBeGreaterThan(10)
  const isGuide = (page: string, target: string) => {
    const [path, anchor] = target.split('#') as [string, string | undefined]
    const file = join(import.meta.dirname, path === '' ? page : join(dirname(page), path))
    if (!existsSync(file) || (path !== '' && !hrefOf(target).startsWith('/docs/'))) return false
    const headings = readFileSync(file, 'utf8').matchAll(/^##+ (.+)$/gm)
    return anchor === undefined || headings.some(([, heading]) => anchorOf(heading!) === anchor)
  }
  expect(
    links.filter(
      ({ page, target }) =>
        !target.startsWith('https://') && !documents.has(target) && !isGuide(page, target),
    ),
  ).toEqual([])
})

test('the guide list contains every guide', () =>
  expect(pages.length).toBe(
    [...entries, ...operatorGuides].filter(({ href }) => href !== '/docs/reference').length,
  ))

test('keeps the anchor of a link, and throws for an unknown guide', () => {
  expect(hrefOf('../sync/page.mdx#compare-your-copy')).toBe('/docs/sync#compare-your-copy')
  expect(() => hrefOf('../nowhere/page.mdx')).toThrow('no guide')
})
