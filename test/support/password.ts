/** Of every member that tests make. */
export const PASSWORD = 'correct horse battery'
