import type { Metadata } from 'next'
import PortalLayout from './(portal)/layout.tsx'
import { Document, documentMetadata, readViewport } from './document.tsx'
import { Nowhere } from './ui/page-notice.tsx'

export const metadata: Metadata = { ...documentMetadata, title: 'Page not found · Partner Deals' }
export const generateViewport = readViewport

/**
 * The 404 page as a complete document, rendered on the server. Signed-in users see it with header and
 * navigation.
 */
export default function NoPage() {
  return (
    <Document>
      <PortalLayout>
        <Nowhere />
      </PortalLayout>
    </Document>
  )
}
