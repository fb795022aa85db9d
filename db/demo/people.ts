import { Random, seedOf } from '#db/demo/random.ts'

const words = (text: string) =>
  text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '')

/**
 * First and last names that go together, as frequent as among homeowners of the Sun Belt and the mountain
 * states.
 */
const namesakes = [
  {
    weight: 47,
    first:
      words(`James, Michael, Robert, John, David, William, Richard, Thomas, Mark, Steven, Paul, Kevin, Brian, Timothy, Jason, Jeffrey, Ryan, Eric, Scott,
      Gregory, Patrick, Tyler, Kyle, Brandon, Travis, Mary, Patricia, Jennifer, Linda, Elizabeth, Barbara, Susan, Jessica, Karen, Sarah, Lisa, Nancy, Sandra,
      Ashley, Emily, Kimberly, Donna, Michelle, Amanda, Melissa, Deborah, Stephanie, Rebecca, Laura, Heather, Katherine, Megan, Rachel, Brenda, Pamela, Joan`),
    last: words(`Smith, Johnson, Miller, Davis, Wilson, Anderson, Taylor, Moore, Martin, Thompson, White, Clark, Lewis, Walker, Hall, Allen, Young, King, Wright,
      Hill, Scott, Green, Baker, Adams, Nelson, Carter, Mitchell, Roberts, Phillips, Campbell, Parker, Evans, Edwards, Collins, Stewart, Morris, Murphy, Cook,
      Rogers, Peterson, Cooper, Reed, Bailey, Kelly, Howard, Cox, Ward, Richardson, Wood, Watson, Bennett, Gray, Hughes, Price, Myers, Long, Foster, Sanders,
      Ross, Sullivan, Russell, Fisher, Reynolds, Hamilton, Graham, Wallace, Cole, Jensen, Christensen, Larsen, Schmidt, Hoffman, Kowalski, Novak, O'Brien,
      O'Connor, McDonald, Rossi, Romano, Petrov, Haddad, Mansour, Begay, Yazzie`),
  },
  {
    weight: 28,
    first:
      words(`Jose, Juan, Luis, Carlos, Jesus, Miguel, Jorge, Francisco, Roberto, Ricardo, Eduardo, Javier, Daniel, Alejandro, Fernando, Rafael, Hector, Raul,
      Manuel, Sergio, Maria, Guadalupe, Ana, Rosa, Carmen, Patricia, Veronica, Leticia, Gabriela, Adriana, Silvia, Claudia, Monica, Sandra, Yolanda, Elena`),
    last: words(`Garcia, Rodriguez, Martinez, Hernandez, Lopez, Gonzalez, Perez, Sanchez, Ramirez, Torres, Flores, Rivera, Gomez, Diaz, Reyes, Morales, Cruz, Ortiz,
      Gutierrez, Chavez, Ramos, Ruiz, Alvarez, Mendoza, Vasquez, Castillo, Jimenez, Moreno, Romero, Herrera, Medina, Aguilar, Vargas, Muñoz, Peña, Salazar,
      Delgado, Rios, Fuentes, Baca, Trujillo, De La Cruz`),
  },
  {
    weight: 9,
    first:
      words(`Darnell, Marcus, Terrence, Andre, Jerome, Reginald, Anthony, Calvin, Isaiah, Malik, Tanya, Keisha, Latoya, Denise, Yolanda, Monique, Angela,
      Jasmine, Ebony, Renee, Gloria, Vanessa`),
    last: words(`Williams, Jones, Brown, Jackson, Harris, Robinson, Washington, Jefferson, Coleman, Jenkins, Powell, Brooks, Banks, Booker, Simmons, Bryant, Alexander,
      Gaines, Dixon, Mosley, Okafor, Tesfaye`),
  },
  {
    weight: 9,
    first: words(
      `Minh, Tuan, Hung, Linh, Thuy, Wei, Ming, Jun, Mei, Grace, Kevin, Jason, Amy, Vivian, Jin, Sung, Hye, Daniel, Kenji, Emi, Rommel, Maricel`,
    ),
    last: words(`Nguyen, Tran, Le, Pham, Hoang, Vu, Chen, Wang, Li, Zhang, Liu, Lin, Wong, Chan, Kim, Lee, Park, Choi, Yoon, Tanaka, Nakamura, Dela Cruz, Bautista, Reyes,
      Santos`),
  },
  {
    weight: 7,
    first: words(
      `Raj, Sanjay, Vikram, Anil, Suresh, Arjun, Ravi, Amit, Priya, Anita, Sunita, Deepa, Kavita, Neha, Imran, Omar, Fatima, Aisha, Farah, Reza, Leila, Samir`,
    ),
    last: words(
      `Patel, Shah, Singh, Kumar, Sharma, Gupta, Reddy, Rao, Desai, Mehta, Khan, Ahmed, Ali, Hussain, Rahman, Hosseini, Karimi, Nasser, Iyer, Nair`,
    ),
  },
]

interface Name {
  firstName: string
  lastName: string
}

/** A full name; one in twelve mixes origins. */
function name(random: Random): Name {
  const group = random.weighted(namesakes)
  const lastNames = random.chance(1 / 12) ? random.weighted(namesakes).last : group.last
  return { firstName: random.pick(group.first), lastName: random.pickEarly(lastNames) }
}

export type DemoHomeowner = Name & { nameOnUb: string }

/**
 * Returns a homeowner, and the name on the utility bill: usually the same, otherwise with an initial, or the
 * partner's.
 */
export function homeowner(random: Random): DemoHomeowner {
  const { firstName, lastName } = name(random)
  return { firstName, lastName, nameOnUb: `${firstNameOnBill(random, firstName)} ${lastName}` }
}

function firstNameOnBill(random: Random, firstName: string): string {
  const drawn = random.next()
  if (drawn < 0.8) return firstName
  if (drawn < 0.88) return `${firstName} ${random.pick([...'ABCDEGJLMRST'])}`
  return random.weighted(namesakes).first[random.int(0, 19)] as string
}

/**
 * A partner's salespeople: closers meet the homeowner, setters make the appointment. The best sellers come
 * first.
 */
export interface Crew {
  closers: readonly string[]
  setters: readonly string[]
}

/** Returns the crew of a partner, the same for the same slug. */
export function crew(slug: string): Crew {
  const random = new Random(seedOf(`crew of ${slug}`))
  const everybody = new Set<string>()
  const closers = random.int(9, 13)
  const setters = random.int(12, 17)
  while (everybody.size < closers + setters) {
    const { firstName, lastName } = name(random)
    everybody.add(`${firstName} ${lastName}`)
  }
  const names = [...everybody]
  return { closers: names.slice(0, closers), setters: names.slice(closers) }
}
