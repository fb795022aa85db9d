import { expect, test, vi } from 'vitest'
import { Button } from './button.tsx'

test.each([
  [false, 'runs its action when clicked', { acted: 1, prevented: 0 }],
  [true, 'ignores clicks and the Enter key in its form', { acted: 0, prevented: 1 }],
])('a button that is busy (%s) %s', (busy, _, calls) => {
  const [onClick, preventDefault] = [vi.fn(), vi.fn()]
  const { props } = Button({ busy, onClick, children: 'Save' })
  props.onClick({ preventDefault })
  expect({ acted: onClick.mock.calls.length, prevented: preventDefault.mock.calls.length }).toEqual(calls)
})
