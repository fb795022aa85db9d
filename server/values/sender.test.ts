import { expect, test } from 'vitest'
import { parseSender } from './sender.ts'

const address = 'portal@sunline.example'

test.each([
  ['portal@sunline.example', ''],
  [' <portal@sunline.example> ', ''],
  ['Sunline Solar <portal@sunline.example>', 'Sunline Solar'],
  ['"Sunline, Inc." <portal@sunline.example>', 'Sunline, Inc.'],
  ['Sonnengröße <portal@sunline.example>', 'Sonnengröße'],
])('reads %j', (text, name) => {
  expect(parseSender(text)).toEqual({ name, address })
})

test.each(['', 'portal', 'Sunline', 'Sunline <portal>', 'a@a.example, b@b.example', 'A <a@a.example> B'])(
  'refuses %j',
  (text) => {
    expect(parseSender(text)).toBeNull()
  },
)
