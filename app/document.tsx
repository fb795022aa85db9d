import '@fontsource-variable/inter'
import './globals.css'
import type { Metadata, Viewport } from 'next'
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { type Theme, developerCookie, parseTheme, themeAttribute, themeColor, themeCookie } from './theme.ts'

/** Returns the theme chosen in this browser. */
export async function readTheme(): Promise<Theme> {
  return parseTheme((await cookies()).get(themeCookie)?.value)
}

/** Returns true if this browser shows IDs and commands for developers. */
export async function readIsDeveloper(): Promise<boolean> {
  return (await cookies()).get(developerCookie)?.value === 'on'
}

/** The HTML document of every page, in the chosen theme. */
export async function Document({ children }: { children: ReactNode }) {
  return (
    <html lang="en" data-theme={themeAttribute(await readTheme())}>
      <body className="font-sans text-sm">{children}</body>
    </html>
  )
}

/** Link that lets keyboard users skip the navigation. */
export const SkipLink = () => (
  <a
    href="#content"
    className="sr-only z-40 rounded-lg bg-surface px-4 py-2 font-medium focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
  >
    Skip to content
  </a>
)

export const documentMetadata: Metadata = {
  title: { default: 'Partner Deals', template: '%s · Partner Deals' },
  description: 'See where your deals stand.',
  robots: { index: false, follow: false },
}

export const readViewport = async (): Promise<Viewport> => ({ themeColor: themeColor(await readTheme()) })
