import type { Metadata } from 'next'
import { Nowhere } from './ui/page-notice.tsx'

export const metadata: Metadata = { title: 'Page not found' }

export default function NotFound() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <Nowhere />
    </main>
  )
}
