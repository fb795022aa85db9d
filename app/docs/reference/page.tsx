import type { Metadata } from 'next'
import { readTheme } from '#app/document.tsx'
import { Reference } from './reference.tsx'

export const metadata: Metadata = { title: 'API reference' }

export default async function ReferencePage() {
  return (
    // A section, so that Scalar's header in a narrow window is not a second header of the page.
    <section id="content" tabIndex={-1} className="outline-none">
      <Reference theme={await readTheme()} />
      <noscript>
        <p className="px-4 py-16 text-center">
          The API reference is made by a script. Without one, read{' '}
          <a href="/api/openapi.json" className="underline">
            the OpenAPI document
          </a>
          .
        </p>
      </noscript>
    </section>
  )
}
