import { expect, test } from 'vitest'
import { CreatePartner } from '#server/partners/wire.ts'
import { proposeSlug } from './propose-slug.ts'

test.each([
  ['Sunline Home Energy, Inc.', 'sunline-home-energy-inc'],
  ["  Bright's  Söläř ", 'brights-solar'],
  ['42 Degrees', '42-degrees'],
  ['---', ''],
  ['日本', ''],
  ['', ''],
  ['<b>A</b>', 'b-a-b'],
  [`${'a'.repeat(62)} bc`, 'a'.repeat(62)],
])('for the name %j, suggests the slug %j', (name, slug) => {
  expect(proposeSlug(name)).toBe(slug)
  if (slug !== '') expect(CreatePartner.parse({ name: 'A', slug }).slug).toBe(slug)
})
