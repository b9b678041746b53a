package page

// WriteWithin is Write with other limits, so that tests reach them sooner.
var WriteWithin = write
