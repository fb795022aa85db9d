import type { ReactNode } from 'react'
import { Document, documentMetadata, readViewport } from './document.tsx'

export const metadata = documentMetadata
export const generateViewport = readViewport

export default function RootLayout({ children }: { children: ReactNode }) {
  return <Document>{children}</Document>
}
