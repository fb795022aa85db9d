export default function Page() { return <p>Partner Deals</p> }
