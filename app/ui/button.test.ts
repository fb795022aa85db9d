import { expect, test, vi } from 'vitest'
import { Button } from './button.tsx'

/** Clicks the button and returns which handlers were called. */
function click(busy: boolean) {
  const [onClick, preventDefault] = [vi.fn(), vi.fn()]
  const { props } = Button({ busy, onClick, children: 'Save' })
  props.onClick({ preventDefault })
  return { acted: onClick.mock.calls.length, prevented: preventDefault.mock.calls.length }
}

test('a button runs its action when clicked', () => expect(click(false)).toEqual({ acted: 1, prevented: 0 }))

test('a busy button ignores clicks and the Enter key in its form', () =>
  expect(click(true)).toEqual({ acted: 0, prevented: 1 }))
