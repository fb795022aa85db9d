import type { Metadata } from 'next'
import { queryPage } from '#app/prefetched.tsx'
import { HomePage } from './home/home-page.tsx'
import { homeQuery } from './home/query.ts'

export const metadata: Metadata = { title: 'Home' }

export default queryPage(homeQuery, ({ insight }, query) => insight.home.fetch(query), <HomePage />)
