/** The value of the field in which something was typed or chosen. */
export const valueOf = (event: Event): string => (event.target as HTMLInputElement | HTMLSelectElement).value
