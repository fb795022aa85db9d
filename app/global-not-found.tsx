import type { Metadata } from 'next'
import PortalLayout from './(portal)/layout.tsx'
import { Document, documentMetadata, readViewport } from './document.tsx'
import { Nowhere } from './ui/nowhere.tsx'

export const metadata: Metadata = { ...documentMetadata, title: 'Page not found · Partner Deals' }
export const generateViewport = readViewport

/** The answer to an address that has no page: a whole document, made on the server, with the frame around it for whoever is signed in. */
export default function NoPage() {
  return (
    <Document>
      <PortalLayout>
        <Nowhere />
      </PortalLayout>
    </Document>
  )
}
