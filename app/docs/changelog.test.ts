import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import openApi from '#public/openapi.json' with { type: 'json' }

const changelog = readFileSync(join(import.meta.dirname, 'operate/changelog/page.mdx'), 'utf8')

test('every path of the interface is in the changelog', () => {
  const paths = Object.keys(openApi.paths)
  expect(paths.length).toBeGreaterThan(8)
  const named = new Set(
    [...changelog.matchAll(/`(?:[A-Z|]+ )?(\/api\/[^`?]*)(?:\?[^`]*)?`/g)].map(([, path]) => path),
  )
  expect(paths.filter((path) => !named.has(path))).toEqual([])
})

test('every version has its day, the newest first', () => {
  const headings = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!)
  expect(headings.length).toBeGreaterThan(1)
  for (const heading of headings) expect(heading).toMatch(/^\d+\.\d+ · 20\d\d-[01]\d-[0-3]\d$/)
  const days = headings.map((heading) => heading.split(' · ')[1])
  expect(days).toEqual(days.toSorted().toReversed())
})
