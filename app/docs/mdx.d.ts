declare module '*.mdx' {
  const page: (props: object) => import('react').ReactNode
  export default page
}
