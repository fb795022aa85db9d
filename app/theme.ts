/** Available themes. `system` follows the operating system. */
const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Cookie with the chosen theme. In a cookie, so that the first response already has the right colors. */
export const themeCookie = 'partner-deals.theme'

/** Cookie that shows IDs and commands for developers if its value is `on`. */
export const developerCookie = 'partner-deals.developer'

/** Parses the theme in a cookie. Returns `system` for unknown values. */
export function parseTheme(text: string | undefined): Theme {
  return themes.find((theme) => theme === text) ?? 'system'
}

/** Returns the `data-theme` attribute of <html>, or undefined to follow the operating system. */
export const themeAttribute = (theme: Theme) => (theme === 'system' ? undefined : theme)

// Background colors from app/globals.css, for the browser's own user interface.
const canvas = { light: '#f7f7f4', dark: '#111311' }

/** Returns the color of the browser's user interface for a theme, in Next's format. */
export function themeColor(theme: Theme) {
  if (theme !== 'system') return canvas[theme]
  return (['light', 'dark'] as const).map((scheme) => ({
    media: `(prefers-color-scheme: ${scheme})`,
    color: canvas[scheme],
  }))
}
