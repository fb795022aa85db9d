'use client'

import { useSyncExternalStore } from 'react'
import type { ExternalToast, ToasterProps } from 'sonner'
import { lazyPart, loadPart } from './load-part.ts'

const Toaster = lazyPart(() => import('./toaster.tsx').then((module) => module.Toaster))
const mounted = Promise.withResolvers<void>()
const listeners = new Set<() => void>()
let isWanted = false

/** Renders toasts. Every page that shows toasts needs this component once. */
export function Toasts(props: ToasterProps) {
  const wanted = useSyncExternalStore(
    subscribe,
    () => isWanted,
    () => false,
  )
  return wanted && <Toaster {...props} onShown={mounted.resolve} />
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

async function showToast(
  kind: 'message' | 'success' | 'error',
  text: string,
  options?: ExternalToast,
): Promise<void> {
  isWanted = true
  listeners.forEach((listener) => listener())
  const [{ toast: sonner }] = await Promise.all([loadPart(() => import('sonner')), mounted.promise])
  sonner[kind](text, options)
}

/** Shows a toast. */
export const toast = Object.assign(
  (text: string, options?: ExternalToast) => void showToast('message', text, options),
  {
    success: (text: string, options?: ExternalToast) => void showToast('success', text, options),
    error: (text: string, options?: ExternalToast) => void showToast('error', text, options),
  },
)
