'use client'

import './scalar.css'
import { useEffect, useRef, useState } from 'react'

interface Instance {
  destroy(): void
}

/** The subset of Scalar's options that we set: https://scalar.com/products/api-references/configuration */
type Configuration = Record<string, unknown>

/** The globals of Scalar's script. */
interface ScalarWindow {
  Scalar?: { createApiReference(element: Element, configuration: Configuration): Instance }
}

// Vendored as is: bundling its thousand modules doubles the build time, and installing them that of `npm ci`.
const script = new URL('./vendor/standalone.js', import.meta.url)

let loading: Promise<void> | undefined

function load(): Promise<void> {
  loading ??= new Promise((resolve, reject) => {
    const element = document.createElement('script')
    element.src = script.href
    element.addEventListener('load', () => resolve())
    element.addEventListener('error', () => {
      loading = undefined
      reject(new Error('The API reference could not be loaded'))
    })
    document.head.append(element)
  })
  return loading
}

/** Disables external links and requests; the entered token stays in the page's memory. */
const makeConfiguration = (isDark: boolean): Configuration => ({
  url: '/api/openapi.json',
  // The document has a relative path, from which Scalar would build URLs with two slashes.
  servers: [{ url: window.location.origin }],
  authentication: { preferredSecurityScheme: 'Token' },
  persistAuth: false,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  forceDarkModeState: isDark ? 'dark' : 'light',
  hideDarkModeToggle: true,
  documentDownloadType: 'direct',
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})

/** Scalar's reference of `/api/openapi.json`. */
export function Scalar({ isDark }: { isDark: boolean }) {
  const place = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<'loading' | 'shown' | Error>('loading')
  useEffect(() => {
    let instance: Instance | undefined
    let isGone = false
    load()
      .then(() => {
        if (isGone) return
        instance = (window as ScalarWindow).Scalar!.createApiReference(
          place.current!,
          makeConfiguration(isDark),
        )
        setState('shown')
      })
      .catch(setState)
    return () => {
      isGone = true
      instance?.destroy()
    }
  }, [isDark])
  if (state instanceof Error) throw state
  return (
    <>
      {state === 'loading' && (
        <p role="status" className="px-4 py-16 text-center text-ink-soft">
          Loading the API reference …
        </p>
      )}
      <div ref={place} />
    </>
  )
}
