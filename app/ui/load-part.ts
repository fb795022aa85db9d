import dynamic from 'next/dynamic'
import type { ComponentType, ReactNode } from 'react'
import { isOffline } from './offline.ts'

/**
 * Loads a part of the page. If loading fails offline, the page stays as it is and loading is retried when the
 * network is back. In browsers that do not repeat a failed import, the page is reloaded and keeps its form
 * input.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    if (typeof window === 'undefined' || !isOffline()) throw error
  }
  await new Promise((resolve) => {
    window.addEventListener('online', resolve, { once: true })
  })
  try {
    return await load()
  } catch {
    const { saveForms } = await import('./saved-forms.ts').catch(() => ({ saveForms: () => {} }))
    saveForms()
    window.location.reload()
    // Never resolves, because the page is about to reload.
    return new Promise<never>(() => {})
  }
}

/** Returns a component whose code loads when first rendered, with `loading` in the meantime. */
export const lazyPart = <Props>(
  load: () => Promise<ComponentType<Props>>,
  loading: () => ReactNode = () => null,
) => dynamic(() => loadPart(load), { ssr: false, loading })
