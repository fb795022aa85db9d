import type { ReactNode } from 'react'
import { Report, ReportTabs } from './report-tabs.tsx'

/** Shows the reports as tabs. */
export default function ReportsLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <ReportTabs />
      <Report>{children}</Report>
    </>
  )
}
