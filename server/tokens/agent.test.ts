import { expect, test } from 'vitest'
import { describeAgent } from './agent.ts'

test.each([
  ['curl/8.14.1', 'curl'],
  ['python-requests/2.32.3', 'python-requests'],
  ['Our CRM 3.1 (nightly)', 'Our'],
  [' node', 'node'],
  ['x'.repeat(500), 'x'.repeat(40)],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  ['<b>/1', '<b>'],
  ['', null],
  ['   ', null],
  ['/1.0', null],
])('shortens %j to %j', (agent, name) => expect(describeAgent(agent)).toBe(name))
