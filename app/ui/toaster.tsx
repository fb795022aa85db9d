'use client'

import { useEffect } from 'react'
import { Toaster as Sonner, type ToasterProps } from 'sonner'

/** Renders toasts. Calls `onShown` once mounted, because toasts shown earlier would be lost. */
export function Toaster({ onShown, ...props }: ToasterProps & { onShown: () => void }) {
  useEffect(onShown, [onShown])
  return <Sonner {...props} />
}
