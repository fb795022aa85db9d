'use client'

import dynamic from 'next/dynamic'
import type { Theme } from '#app/theme.ts'
import { useMedia } from '#app/ui/use-media.ts'

const Scalar = dynamic(() => import('./scalar.tsx').then((module) => module.Scalar), { ssr: false })

/** The reference of the REST interface, rendered in the browser from its OpenAPI document. */
export function Reference({ theme }: { theme: Theme }) {
  const systemIsDark = useMedia('(prefers-color-scheme: dark)', false)
  return <Scalar isDark={theme === 'system' ? systemIsDark : theme === 'dark'} />
}
