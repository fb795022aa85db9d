import { expect, test } from 'vitest'
import { sections } from './guides.ts'
import { llmsText } from './llms-text.ts'

const publicUrl = 'https://deals.example.com'

test('lists every page with an absolute link to its Markdown, in under 50,000 characters', () => {
  const text = llmsText(publicUrl)
  expect(text.length).toBeLessThan(50_000)
  const links = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, href]) => href)
  expect(links).toEqual([
    ...sections.flatMap(({ entries }) => entries.map(({ href }) => `${publicUrl}${href}.md`)),
    `${publicUrl}/api/openapi.json`,
    `${publicUrl}/docs/operate/changelog.atom`,
  ])
})

test('begins with a title and a summary, and names each section', () => {
  const lines = llmsText(publicUrl).split('\n')
  expect(lines[0]).toMatch(/^# \S/)
  expect(lines.find((line) => line.startsWith('>'))).toBe(lines[2])
  for (const { title } of sections) expect(lines).toContain(`## ${title}`)
})
