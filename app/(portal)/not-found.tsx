export { Nowhere as default } from '#app/ui/nowhere.tsx'
