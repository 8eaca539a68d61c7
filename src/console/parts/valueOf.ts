/** What the field has in which something was typed or chosen. */
export const valueOf = (event: Event): string => (event.target as HTMLInputElement | HTMLSelectElement).value
