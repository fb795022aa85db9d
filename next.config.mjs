/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // Left as they are on disk: the driver and the log are the process's own, the hash is a native add-on.
  serverExternalPackages: ['postgres', 'pino', '@node-rs/argon2'],
  pageExtensions: ['ts', 'tsx', 'mdx'],
  experimental: {
    // Without these two, an unknown path would be answered outside the frame, and a forbidden one with 200.
    globalNotFound: true,
    authInterrupts: true,
    agentUpgrade: false,
    // Next's own MDX compiler, with tables: the documentation needs no package.
    turbopackFileSystemCacheForBuild: false,
    mdxRs: { mdxType: 'gfm' },
  },
  // Both names of this machine are ours in development.
  allowedDevOrigins: ['127.0.0.1', 'localhost'],
  // `npm run check` checks types; a start need not wait for it.
  typescript: { ignoreBuildErrors: true },
  // Bookmarks of the former name; the query, which may name a partner, is preserved.
  redirects: async () => [
    { source: '/findings/:path*', destination: '/data-issues/:path*', permanent: true },
  ],
  // By its ending, TypeScript would be served as video.
  headers: async () => [
    {
      source: '/clients/:name.(ts|py)',
      headers: [{ key: 'Content-Type', value: 'text/plain; charset=utf-8' }],
    },
  ],
}
