'use client'

import { useEffect } from 'react'
import { Toaster as Sonner, type ToasterProps } from 'sonner'

/** Shows toasts; says when it is there, because earlier ones it would miss. */
export function Toaster({ onShown, ...props }: ToasterProps & { onShown: () => void }) {
  useEffect(onShown, [onShown])
  return <Sonner {...props} />
}
