/** How a line begins in which a worker tells what became of a seed; all its other lines are for people. */
export const TELLS = 'outcome ';
