import dynamic from 'next/dynamic'
import type { ComponentType, ReactNode } from 'react'
import { loadPart } from './load-part.ts'

/**
 * Returns a component whose code is loaded when the browser first renders it. Shows `loading` in the
 * meantime.
 */
export const lazyPart = <Props>(
  load: () => Promise<ComponentType<Props>>,
  loading: () => ReactNode = () => null,
) => dynamic(() => loadPart(load), { ssr: false, loading })
