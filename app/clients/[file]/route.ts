import { built, downloadOf } from '../downloads.ts'

export const dynamic = 'force-static'
export const dynamicParams = false
export const generateStaticParams = () => Object.keys(built).map((file) => ({ file }))

/** Serves a file that is generated from the clients' source code. */
export async function GET(_request: Request, { params }: { params: Promise<{ file: string }> }) {
  const { file } = await params
  const type = file.endsWith('.mjs') ? 'text/javascript; charset=utf-8' : 'application/gzip'
  return new Response(new Uint8Array(await downloadOf(file)), { headers: { 'Content-Type': type } })
}
