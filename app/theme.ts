/** The themes to choose from; `system` follows the operating system. */
const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** The cookie with the choice, so that the first response has it and nothing flashes. */
export const themeCookie = 'partner-deals.theme'

/** The cookie that shows ids and commands for developers: `on`. */
export const developerCookie = 'partner-deals.developer'

/** Returns the theme of the cookie; `system` for any other value. */
export function parseTheme(text: string | undefined): Theme {
  return themes.find((theme) => theme === text) ?? 'system'
}

/** Returns the value of `data-theme` on <html>; undefined follows the system. */
export const themeAttribute = (theme: Theme) => (theme === 'system' ? undefined : theme)

// The canvas of app/globals.css, for the browser's own window parts.
const canvas = { light: '#f7f7f4', dark: '#111311' }

/** Returns the color of the browser's window for a theme, as Next expects it. */
export function themeColor(theme: Theme) {
  if (theme !== 'system') return canvas[theme]
  return (['light', 'dark'] as const).map((scheme) => ({
    media: `(prefers-color-scheme: ${scheme})`,
    color: canvas[scheme],
  }))
}
