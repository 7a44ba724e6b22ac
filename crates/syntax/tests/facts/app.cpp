#include <vector>
#include "app.hpp"
namespace space {
class Shown { public: void method(); private: int x; };
int function() { for (auto a : b) { try { } catch (...) { } } return std::system("x"); }
namespace { int unseen() { return 1; } }
template <typename T> T generic(T a) { return a; }
using Alias = int;
}
void space::Shown::method() { sprintf(a, "%s", b); }
