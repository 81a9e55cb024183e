# The tests that are compiled for each device half over a driver (HalfFixture.h).
set(TERRAZZO_HALF_TESTS "")
foreach(family IN ITEMS Calls Launch Stream)
  list(APPEND TERRAZZO_HALF_TESTS ${CMAKE_CURRENT_LIST_DIR}/Half${family}Test.cpp)
endforeach()
