import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseTheme, themeAttribute, themeColor } from './theme.ts'

test.each([
  ['light', 'light'],
  ['dark', 'dark'],
  ['system', 'system'],
  [undefined, 'system'],
  ['', 'system'],
  ['"><script>', 'system'],
])('reads the cookie %j as the theme %s', (text, theme) => {
  expect(parseTheme(text)).toBe(theme)
})

test('follows the system until the user chooses', () => {
  expect(themeAttribute('system')).toBeUndefined()
  expect(themeAttribute('dark')).toBe('dark')
})

test('the browser window has the same color as the page canvas', () => {
  const [, light, dark] = /--canvas: light-dark\((\S+), (\S+)\)/.exec(
    readFileSync(new URL('globals.css', import.meta.url), 'utf8'),
  )!
  expect(themeColor('light')).toBe(light)
  expect(themeColor('dark')).toBe(dark)
  expect(themeColor('system')).toEqual([
    { media: '(prefers-color-scheme: light)', color: light },
    { media: '(prefers-color-scheme: dark)', color: dark },
  ])
})
