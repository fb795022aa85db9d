import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import openApi from '#public/openapi.json' with { type: 'json' }
import { atomOf, versionsIn } from './changelog-feed.ts'

const changelog = readFileSync(join(import.meta.dirname, 'operate/changelog/page.mdx'), 'utf8')

test('the changelog mentions every path of the REST interface', () => {
  const paths = Object.keys(openApi.paths)
  expect(paths.length).toBeGreaterThan(8)
  const named = new Set(
    [...changelog.matchAll(/`(?:[A-Z|]+ )?(\/api\/[^`?]*)(?:\?[^`]*)?`/g)].map(([, path]) => path),
  )
  expect(paths.filter((path) => !named.has(path))).toEqual([])
})

test('every version has a date, newest first', () => {
  const versions = versionsIn(changelog)
  expect(versions.length).toBeGreaterThan(1)
  for (const { version, day, text } of versions) {
    expect(version).toMatch(/^\d+\.\d+$/)
    expect(new Date(day).toISOString()).toBe(`${day}T00:00:00.000Z`)
    expect(text).not.toBe('')
  }
  expect(versions.map(({ day }) => day)).toEqual(
    versions
      .map(({ day }) => day)
      .toSorted()
      .toReversed(),
  )
})

/**
 * Returns the elements of an XML document with their parents, attributes and texts.
 * @throws Error unless well-formed
 */
function elementsOf(xml: string) {
  const parser = new SaxesParser({ xmlns: true })
  const open: { path: string; attributes: Record<string, string>; text: string }[] = []
  const all: typeof open = []
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ local, uri, attributes }) => {
    expect(uri).toBe('http://www.w3.org/2005/Atom')
    const values = Object.entries(attributes).map(([name, { value }]) => [name, value])
    const element = {
      path: [...open.map(({ path }) => path.split('/').at(-1)), local].join('/'),
      attributes: Object.fromEntries(values) as Record<string, string>,
      text: '',
    }
    open.push(element)
    all.push(element)
  })
  parser.on('text', (text) => {
    const last = open.at(-1)
    if (last !== undefined) last.text += text
  })
  parser.on('closetag', () => void open.pop())
  parser.write(xml).close()
  return all
}

test('the feed is valid Atom (RFC 4287), with markup in entries escaped', () => {
  const text = 'Rows with <b> & "quotes"'
  const elements = elementsOf(
    atomOf('https://deals.example.com', [
      { version: '1.2', day: '2026-11-27', text },
      { version: '1.1', day: '2026-11-24', text: 'First' },
    ]),
  )
  const textsAt = (path: string) =>
    elements.filter((element) => element.path === path).map((element) => element.text)
  expect(textsAt('feed/updated')).toEqual(['2026-11-27T00:00:00Z'])
  expect(textsAt('feed/author/name')).toHaveLength(1)
  expect(textsAt('feed/title')).toHaveLength(1)
  const ids = [...textsAt('feed/id'), ...textsAt('feed/entry/id')]
  expect(new Set(ids).size).toBe(3)
  for (const id of ids) expect(URL.canParse(id), id).toBe(true)
  expect(textsAt('feed/entry/updated')).toEqual(['2026-11-27T00:00:00Z', '2026-11-24T00:00:00Z'])
  expect(textsAt('feed/entry/title')).toEqual(['Partner Deals 1.2', 'Partner Deals 1.1'])
  expect(textsAt('feed/entry/content')).toEqual([text, 'First'])
  expect(elements.find(({ attributes }) => attributes['rel'] === 'self')?.attributes['href']).toBe(
    'https://deals.example.com/docs/operate/changelog.atom',
  )
})
