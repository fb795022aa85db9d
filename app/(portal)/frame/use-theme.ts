'use client'

import { Monitor, Moon, Sun } from 'lucide-react'
import { type Theme, themeAttribute, themeCookie } from '#app/theme.ts'
import { useRouter } from '#app/ui/link.tsx'

const yearS = 365 * 24 * 60 * 60

/** The themes to choose from. */
export const themeChoices = [
  { value: 'system', label: 'System', icon: Monitor },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
] as const satisfies { value: Theme; label: string; icon: unknown }[]

/** Returns a function that changes the theme immediately and for later requests. */
export function useSetTheme(): (theme: Theme) => void {
  const router = useRouter()
  return (theme) => {
    const secure = window.location.protocol === 'https:' ? '; Secure' : ''
    document.cookie = `${themeCookie}=${theme}; Path=/; Max-Age=${yearS}; SameSite=Lax${secure}`
    const attribute = themeAttribute(theme)
    if (attribute === undefined) delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = attribute
    router.refresh()
  }
}
