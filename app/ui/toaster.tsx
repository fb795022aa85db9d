'use client'

import { useEffect } from 'react'
import { Toaster as Sonner, type ToasterProps } from 'sonner'

/** Shows toasts. Calls `onShown` once mounted, because it would miss earlier ones. */
export function Toaster({ onShown, ...props }: ToasterProps & { onShown: () => void }) {
  useEffect(onShown, [onShown])
  return <Sonner {...props} />
}
