import { redirect } from 'next/navigation'

// Otherwise caches on the way would keep this redirect for a year.
export const dynamic = 'force-dynamic'

export default function Home(): never {
  redirect('/deals')
}
