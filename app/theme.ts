/** What people may choose: to go with their system, or always light or dark. */
const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** The cookie that keeps the choice, so that the server's first answer has it and nothing flashes. */
export const themeCookie = 'partner-deals.theme'

/** The theme that the cookie holds; whatever is not one is the system's. */
export function parseTheme(text: string | undefined): Theme {
  return themes.find((theme) => theme === text) ?? 'system'
}

/** The value of `data-theme` on <html>; none leaves it to the system. */
export const themeAttribute = (theme: Theme) => (theme === 'system' ? undefined : theme)

// The canvas of app/globals.css, for the parts of the browser's window around the page.
const canvas = { light: '#f7f7f4', dark: '#111311' }

/** The colour of the browser's own window for a theme, in the form in which Next takes it. */
export function themeColor(theme: Theme) {
  if (theme !== 'system') return canvas[theme]
  return (['light', 'dark'] as const).map((scheme) => ({
    media: `(prefers-color-scheme: ${scheme})`,
    color: canvas[scheme],
  }))
}
