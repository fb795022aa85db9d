'use client'

import { Monitor, Moon, Sun } from 'lucide-react'
import { type Theme, developerCookie, themeAttribute, themeCookie } from '#app/theme.ts'
import { useRouter } from '#app/ui/link.tsx'

const yearS = 365 * 24 * 60 * 60

export const themeChoices = [
  { value: 'system', label: 'System', icon: Monitor },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
] as const satisfies { value: Theme; label: string; icon: unknown }[]

/** Returns a function that changes the theme immediately and for future requests. */
export function useSetTheme(): (theme: Theme) => void {
  const router = useRouter()
  return (theme) => {
    savePreference(themeCookie, theme)
    const attribute = themeAttribute(theme)
    if (attribute === undefined) delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = attribute
    router.refresh()
  }
}

/** Saves a browser preference in a cookie, so that the server can use it for the first response. */
function savePreference(name: string, value: string): void {
  const secure = window.location.protocol === 'https:' ? '; Secure' : ''
  document.cookie = `${name}=${value}; Path=/; Max-Age=${yearS}; SameSite=Lax${secure}`
}

/** Returns a function that shows or hides developer features. */
export function useSetDeveloper(): (isOn: boolean) => void {
  const router = useRouter()
  return (isOn) => {
    savePreference(developerCookie, isOn ? 'on' : 'off')
    router.refresh()
  }
}
