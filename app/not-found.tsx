import { Compass } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { button } from './ui/button.ts'
import { Notice } from './ui/notice.tsx'

export const metadata: Metadata = { title: 'Page not found' }

export default function NotFound() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <Notice icon={Compass} level={1} title="There is no page here" action={<Link href="/deals" className={button.primary}>Go to your deals</Link>}>
        The address may have a typo, or the page has moved. Your deals are where they were.
      </Notice>
    </main>
  )
}
